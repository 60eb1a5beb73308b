import '../as-written.js';
import './crowd.test.js';
