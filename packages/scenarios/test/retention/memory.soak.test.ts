import '../as-written.js';
import './memory.test.js';
