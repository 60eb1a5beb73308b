import { AddOutcome, type AddedJob, type AddedFlowNode } from '@echomq/proto/messages';
import type { EngineObserver } from '../ports.js';
import type { ProducerApi } from '../service.js';
