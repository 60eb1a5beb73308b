import '../as-written.js';
import './sweep-races.test.js';
