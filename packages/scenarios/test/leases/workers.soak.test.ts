import '../as-written.js';
import './workers.test.js';
