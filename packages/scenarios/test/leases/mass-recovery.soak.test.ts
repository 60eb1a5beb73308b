import '../as-written.js';
import './mass-recovery.test.js';
