import '../as-written.js';
import './store-full.test.js';
