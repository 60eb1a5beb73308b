import '../as-written.js';
import './lost-answers.test.js';
