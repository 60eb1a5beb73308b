import '../as-written.js';
import './observers.test.js';
