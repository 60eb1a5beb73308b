import '../as-written.js';
import './many-streams.test.js';
