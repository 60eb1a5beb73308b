use super::*;
use crate::echomq::v1::{CompleteOutcome, FinishResult};
use crate::google::rpc::{ErrorInfo, RetryInfo, Status};
use prost::Message;

fn lease(token: &str) -> JobLease {
    JobLease { lease_token: token.into(), ..JobLease::default() }
}

fn done() -> JobOutcome {
    let return_value = b"1".to_vec();
    JobOutcome { kind: Some(Kind::Complete(CompleteOutcome { return_value })) }
}

fn accepted(report_id: u32) -> WorkReportAck {
    WorkReportAck { report_id, outcome: Some(Outcome::Result(FinishResult::default())) }
}

fn refused(report_id: u32, reason: &str, retry_after: Option<i32>) -> WorkReportAck {
    let detail = |kind: &str, value: Vec<u8>| prost_types::Any {
        type_url: format!("type.googleapis.com/google.rpc.{kind}"),
        value,
    };
    let info = ErrorInfo { reason: reason.into(), ..ErrorInfo::default() };
    let mut details = vec![detail("ErrorInfo", info.encode_to_vec())];
    if let Some(nanos) = retry_after {
        let retry_delay = Some(prost_types::Duration { seconds: 0, nanos });
        details.push(detail("RetryInfo", RetryInfo { retry_delay }.encode_to_vec()));
    }
    let status = Status { details, ..Status::default() };
    WorkReportAck { report_id, outcome: Some(Outcome::Error(status)) }
}

/// The failure that an answer wants in the place of what was refused.
fn instead(answer: Answer) -> FailOutcome {
    match answer {
        Answer::Instead(_, JobOutcome { kind: Some(Kind::Fail(fail)) }) => fail,
        _ => panic!("no failure is to be reported"),
    }
}

#[test]
fn is_acked_through_the_last_answer_without_a_gap() {
    let mut reports = Reports::default();
    let ids = ["a", "b", "c"].map(|token| reports.enter(lease(token), done(), false).report_id);
    assert_eq!(ids, [1, 2, 3]);
    assert!(
        matches!(reports.answered(accepted(2)), Answer::Over(lease) if lease.lease_token == "b")
    );
    assert_eq!(reports.acked_through(), 0);
    assert!(matches!(reports.answered(accepted(1)), Answer::Over(_)));
    assert_eq!(reports.acked_through(), 2);
    assert!(matches!(reports.answered(accepted(2)), Answer::Wait), "a second answer");
    assert_eq!(reports.unanswered().len(), 1);
}

#[test]
fn says_again_unchanged_what_may_have_been_stored_once_its_wait_is_over() {
    let mut reports = Reports::default();
    let report = reports.enter(lease("a"), done(), false);
    assert!(matches!(reports.answered(refused(1, "OUTCOME_UNKNOWN", None)), Answer::Wait));
    assert!(reports.unanswered().is_empty(), "it waits");
    assert!(reports.due().is_empty(), "for a second");
    assert!(matches!(reports.answered(refused(1, "ANYTHING", Some(0))), Answer::Wait));
    assert_eq!(reports.due(), std::slice::from_ref(&report));
    assert!(reports.due().is_empty(), "once");
    assert_eq!(reports.unanswered(), [report]);
}

#[test]
fn ends_where_the_job_is_elsewhere() {
    for reason in GONE {
        let mut reports = Reports::default();
        reports.enter(lease("a"), done(), false);
        assert!(matches!(reports.answered(refused(1, reason, None)), Answer::Over(_)));
    }
}

#[test]
fn fails_a_refused_result_for_good_and_not_twice() {
    let mut reports = Reports::default();
    reports.enter(lease("a"), done(), false);
    let fail = instead(reports.answered(refused(1, "PAYLOAD_TOO_LARGE", None)));
    assert_eq!(fail.retry, RetryMode::Never as i32);
    assert!(fail.message.contains("PAYLOAD_TOO_LARGE"));
    reports.enter(lease("a"), JobOutcome { kind: Some(Kind::Fail(fail)) }, true);
    let again = reports.answered(refused(2, "PAYLOAD_TOO_LARGE", None));
    assert!(matches!(again, Answer::Over(_)));
}

#[test]
fn may_try_again_what_failed_and_what_has_failed_children() {
    let mut reports = Reports::default();
    reports.enter(lease("a"), done(), false);
    let fail = instead(reports.answered(refused(1, "JOB_HAS_FAILED_CHILDREN", None)));
    assert_eq!(fail.retry, RetryMode::Default as i32);
    let failed = JobOutcome { kind: Some(Kind::Fail(FailOutcome::default())) };
    reports.enter(lease("b"), failed, false);
    assert_eq!(instead(reports.answered(refused(2, "ANY", None))).retry, RetryMode::Default as i32);
    reports.enter(lease("c"), done(), false);
    let children = reports.answered(refused(3, "JOB_HAS_PENDING_CHILDREN", None));
    assert!(matches!(
        children,
        Answer::Instead(_, JobOutcome { kind: Some(Kind::AwaitChildren(_)) })
    ));
}

#[test]
fn numbers_anew_in_a_new_session() {
    let mut reports = Reports::default();
    for token in ["a", "b", "c"] {
        reports.enter(lease(token), done(), false);
    }
    reports.answered(accepted(1));
    reports.restart();
    let unanswered = reports.unanswered();
    let tokens: Vec<_> =
        unanswered.iter().flat_map(|it| &it.lease).map(|it| &*it.lease_token).collect();
    assert_eq!(unanswered.iter().map(|it| it.report_id).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(tokens, ["b", "c"]);
    assert_eq!(reports.acked_through(), 0);
}
