import { gradesLanguages } from './languages.js';

gradesLanguages(undefined, { parallel: 5, timeout: 600_000 });
