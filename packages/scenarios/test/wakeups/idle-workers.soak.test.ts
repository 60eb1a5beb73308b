import '../as-written.js';
import './idle-workers.test.js';
