import '../as-written.js';
import './broken-streams.test.js';
