import { soakModel } from './soak-model.js';

soakModel('the other half', 1);
