import { addFlow } from './addFlow.js';
import { addJobScheduler } from './addJobScheduler.js';
import { addJobs } from './addJobs.js';
import { addLogs } from './addLogs.js';
import { addStandardJob } from './addStandardJob.js';
import { changeDelay } from './changeDelay.js';
import { changePriority } from './changePriority.js';
import { cleanJobsInSet } from './cleanJobsInSet.js';
import { drain } from './drain.js';
import type { ListedLines } from './listed-lines.js';
import { moveJobFromActiveToWait } from './moveJobFromActiveToWait.js';
import { moveJobsToWait } from './moveJobsToWait.js';
import { moveStalledJobsToWait } from './moveStalledJobsToWait.js';
import { moveToActive } from './moveToActive.js';
import { moveToDelayed } from './moveToDelayed.js';
import { moveToFinished } from './moveToFinished.js';
import { moveToWaitingChildren } from './moveToWaitingChildren.js';
import { obliterate } from './obliterate.js';
import { pause } from './pause.js';
import { promote } from './promote.js';
import { promoteDueJobs } from './promoteDueJobs.js';
import { removeJob } from './removeJob.js';
import { reprocessJob } from './reprocessJob.js';
import { resume } from './resume.js';
import { retryJob } from './retryJob.js';
import { updateData } from './updateData.js';
import { updateJobScheduler } from './updateJobScheduler.js';

/** By transition: what the cases list. */
export const LISTED: Readonly<Record<string, ListedLines>> = {
  addFlow,
  addJobScheduler,
  addJobs,
  addLogs,
  addStandardJob,
  changeDelay,
  changePriority,
  cleanJobsInSet,
  drain,
  moveJobFromActiveToWait,
  moveJobsToWait,
  moveStalledJobsToWait,
  moveToActive,
  moveToDelayed,
  moveToFinished,
  moveToWaitingChildren,
  obliterate,
  pause,
  promote,
  promoteDueJobs,
  removeJob,
  reprocessJob,
  resume,
  retryJob,
  updateData,
  updateJobScheduler,
};
