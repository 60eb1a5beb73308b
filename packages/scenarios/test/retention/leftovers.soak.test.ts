import '../as-written.js';
import './leftovers.test.js';
