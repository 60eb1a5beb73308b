//! What the gateway says, and what follows from it.

use std::time::{Duration, Instant};

use crate::echomq::v1::{
    JobSignal, JobSignalKind, LeaseRenewal, LeaseStatus, WorkDelivery, WorkOpened, WorkReportAck,
    WorkResponse, WorkerDirectiveAction, work_request::Message as Say,
    work_response::Message as Hear,
};

use super::Worker;
use crate::Options;
use crate::reports::Answer;
use crate::stream::duration;

impl Worker {
    pub(super) fn hear(&mut self, response: WorkResponse) {
        self.stream.silent = Duration::ZERO;
        match response.message {
            Some(Hear::Delivery(delivery)) => self.delivered(delivery),
            Some(Hear::ReportAck(ack)) => self.answered(ack),
            Some(Hear::ReportAcks(all)) => all.acks.into_iter().for_each(|it| self.answered(it)),
            Some(Hear::JobSignal(signal)) => self.signalled(signal),
            Some(Hear::HeartbeatAck(ack)) => {
                self.evidence.answered(ack.seq);
                ack.leases.into_iter().for_each(|it| self.renewed(it));
            }
            Some(Hear::Directive(directive)) => {
                if let Ok(action) = WorkerDirectiveAction::try_from(directive.action) {
                    let at = Instant::now() + duration(directive.after);
                    self.stream.directive = Some((at, action));
                }
            }
            // A sign of life, or from a newer gateway.
            Some(Hear::Opened(_) | Hear::Keepalive(_)) | None => {}
        }
    }

    pub(super) fn opened(&mut self, opened: WorkOpened, began: Instant) {
        let interval = duration(opened.heartbeat_interval);
        self.evidence.opened(began, interval * 3);
        self.stream.silence_limit = duration(opened.keepalive_interval).mul_f64(2.5);
        self.stream.beat = Some((Instant::now(), interval / 2));
        for renewal in opened.rejected {
            self.held.lose(&renewal.lease_token);
        }
        self.heartbeat();
        for report in self.reports.unanswered() {
            self.send(Say::Report(report));
        }
        if !std::mem::replace(&mut self.announced, true) {
            let Options { queue, address, .. } = &self.options;
            println!("{}: works on \"{queue}\" at {address}", self.session.name());
        }
        self.update_window();
        self.leave_if_done();
    }

    fn delivered(&mut self, delivery: WorkDelivery) {
        delivery.jobs.into_iter().for_each(|job| self.held.add(job));
        if !self.taking() {
            self.release_buffered();
        }
        if !self.begin() {
            self.heartbeat();
        }
    }

    fn answered(&mut self, ack: WorkReportAck) {
        self.failures = 0;
        match self.reports.answered(ack) {
            Answer::Wait => {}
            Answer::Over(lease) => self.held.over(&lease.lease_token),
            Answer::Instead(lease, outcome) => {
                let report = self.reports.enter(lease, outcome, true);
                self.send(Say::Report(report));
            }
        }
        self.leave_if_done();
    }

    fn signalled(&mut self, signal: JobSignal) {
        use JobSignalKind::{CancelRequested, LockLost, LockMaxLifetime, Recall, Removed};
        let token = signal.lease.unwrap_or_default().lease_token;
        let ending = match JobSignalKind::try_from(signal.kind) {
            Ok(LockLost | Removed | LockMaxLifetime) => self.held.lose(&token),
            Ok(CancelRequested) => self.held.cancel(&token),
            Ok(Recall) => self.held.recall(&token),
            Ok(JobSignalKind::Unspecified) | Err(_) => None,
        };
        self.report(ending);
    }

    fn renewed(&mut self, LeaseRenewal { lease_token, status, .. }: LeaseRenewal) {
        let ending = match LeaseStatus::try_from(status) {
            Ok(LeaseStatus::Lost | LeaseStatus::NotOwned | LeaseStatus::NotFound) => {
                self.held.lose(&lease_token)
            }
            Ok(LeaseStatus::CancelRequested) => self.held.cancel(&lease_token),
            _ => None,
        };
        self.report(ending);
    }

    pub(super) fn follow(&mut self, action: WorkerDirectiveAction) {
        match action {
            _ if self.stopping_since.is_some() => {}
            WorkerDirectiveAction::Reconnect => {
                // The old one serves what is held until the new one is open.
                self.stream.quiet = true;
                self.release_buffered();
                self.ask();
            }
            WorkerDirectiveAction::Quiet => self.stream.quiet = true,
            WorkerDirectiveAction::Unspecified => self.stream.quiet = self.moving(),
            WorkerDirectiveAction::Drain => {
                self.stream.draining = true;
                self.release_buffered();
            }
        }
    }
}
