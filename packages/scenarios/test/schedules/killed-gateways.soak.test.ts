import '../as-written.js';
import './killed-gateways.test.js';
