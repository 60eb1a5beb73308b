import '../as-written.js';
import './outages.test.js';
