import type { ContenderName, Open } from '../contender.js';
import { openBeeQueue } from './bee-queue.js';
import { openBull } from './bull.js';
import { openBullmq5, openBullmq6 } from './bullmq.js';
import { openEmbedded, openGateway } from './echomq.js';
import { openUnary } from './echomq-unary.js';
import { openGroupmq } from './groupmq.js';
import { openBullmqPython, openEchomqPython } from './python.js';

/** How each contender is opened. */
export const OPEN: Readonly<Record<ContenderName, Open>> = {
  'echomq-embedded': openEmbedded,
  'echomq-gateway': openGateway,
  'echomq-unary': openUnary,
  'echomq-python': openEchomqPython,
  bullmq6: openBullmq6,
  bullmq5: openBullmq5,
  bull: openBull,
  'bee-queue': openBeeQueue,
  groupmq: openGroupmq,
  'bullmq-python': openBullmqPython,
};
