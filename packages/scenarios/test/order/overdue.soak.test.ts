import '../as-written.js';
import './overdue.test.js';
