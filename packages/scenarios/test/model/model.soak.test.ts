import { soakModel } from './soak-model.js';

soakModel('half of the transitions', 0);
