import '../as-written.js';
import './limits.test.js';
