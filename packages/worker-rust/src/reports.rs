//! The reports of a session that have no answer.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::echomq::v1::{
    AwaitChildrenOutcome, FailOutcome, JobLease, JobOutcome, RetryMode, WorkReport, WorkReportAck,
    job_outcome::Kind, work_report_ack::Outcome,
};

use crate::stream::Facts;

/// The lease is over, or the job is elsewhere: final.
const GONE: [&str; 4] = ["LOCK_LOST", "LOCK_NOT_OWNED", "JOB_NOT_FOUND", "JOB_NOT_IN_STATE"];
/// What may have been stored or could not be told: the same report again is safe.
const AGAIN: [&str; 3] = ["OUTCOME_UNKNOWN", "BACKEND_UNAVAILABLE", "DEADLINE_EXCEEDED"];
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// What follows from an answer.
pub enum Answer {
    /// Nothing yet.
    Wait,
    /// The hold of this job has ended.
    Over(JobLease),
    /// Refused, and the lock is still held: this is to be reported in its place.
    Instead(JobLease, JobOutcome),
}

struct Pending {
    report: WorkReport,
    /// It stands in the place of a refused one.
    instead: bool,
    /// The gateway wants it again, then.
    again_at: Option<Instant>,
}

/// Numbers reports, repeats them, and follows their answers.
#[derive(Default)]
pub struct Reports {
    pending: BTreeMap<u32, Pending>,
    last: u32,
}

impl Reports {
    /// All reports up to this one are answered.
    pub fn acked_through(&self) -> u32 {
        self.pending.keys().next().map_or(self.last, |first| first - 1)
    }

    /// The next report, to be sent.
    pub fn enter(&mut self, lease: JobLease, outcome: JobOutcome, instead: bool) -> WorkReport {
        let acked_through = self.acked_through();
        self.last += 1;
        let report = WorkReport {
            report_id: self.last,
            acked_through,
            lease: Some(lease),
            outcome: Some(outcome),
            ..WorkReport::default()
        };
        let pending = Pending { report: report.clone(), instead, again_at: None };
        self.pending.insert(self.last, pending);
        report
    }

    /// A new stream is up: all that has no answer, unchanged, but for what has to wait.
    pub fn unanswered(&self) -> Vec<WorkReport> {
        let waits = |pending: &&Pending| pending.again_at.is_none();
        self.pending.values().filter(waits).map(|pending| pending.report.clone()).collect()
    }

    /// Those whose wait is over.
    pub fn due(&mut self) -> Vec<WorkReport> {
        let now = Instant::now();
        let due = |pending: &mut Pending| pending.again_at.take_if(|at| *at <= now).is_some();
        let all = self.pending.values_mut();
        all.filter_map(|pending| due(pending).then(|| pending.report.clone())).collect()
    }

    /// A new session: numbers begin anew. Nothing is sent before its stream is up.
    pub fn restart(&mut self) {
        for Pending { report, instead, .. } in std::mem::take(self).pending.into_values() {
            if let (Some(lease), Some(outcome)) = (report.lease, report.outcome) {
                self.enter(lease, outcome, instead);
            }
        }
    }

    /// The gateway has answered a report.
    pub fn answered(&mut self, ack: WorkReportAck) -> Answer {
        let (Some(pending), Some(answer)) = (self.pending.get_mut(&ack.report_id), ack.outcome)
        else {
            return Answer::Wait;
        };
        let refusal = match &answer {
            Outcome::Result(_) => None,
            Outcome::Error(status) => Some(Facts::from(status)),
        };
        if let Some(facts) = &refusal
            && (facts.retry_after.is_some() || AGAIN.contains(&facts.reason.as_str()))
        {
            pending.again_at = Some(Instant::now() + facts.retry_after.unwrap_or(AGAIN_AFTER));
            return Answer::Wait;
        }
        let Some(Pending { report, instead, .. }) = self.pending.remove(&ack.report_id) else {
            return Answer::Wait;
        };
        let lease = report.lease.unwrap_or_default();
        match refusal.and_then(|facts| after_refusal(&facts, report.outcome, instead)) {
            Some(outcome) => Answer::Instead(lease, outcome),
            None => Answer::Over(lease),
        }
    }
}

fn after_refusal(facts: &Facts, refused: Option<JobOutcome>, instead: bool) -> Option<JobOutcome> {
    let kind = match facts.reason.as_str() {
        reason if GONE.contains(&reason) => return None,
        "JOB_HAS_PENDING_CHILDREN" => Kind::AwaitChildren(AwaitChildrenOutcome {}),
        _ if instead => {
            // The lock lapses, and the job goes to somebody else.
            eprintln!("a report was refused twice: {}", facts.message);
            return None;
        }
        reason => {
            let succeeded = matches!(refused?.kind, Some(Kind::Complete(_)));
            let last = succeeded && reason != "JOB_HAS_FAILED_CHILDREN";
            let why = if reason.is_empty() { &facts.message } else { reason };
            Kind::Fail(FailOutcome {
                error_name: "RefusedOutcome".into(),
                message: format!("the gateway refused the outcome: {why}"),
                retry: if last { RetryMode::Never } else { RetryMode::Default }.into(),
                ..FailOutcome::default()
            })
        }
    };
    Some(JobOutcome { kind: Some(kind) })
}

#[cfg(test)]
mod tests;
