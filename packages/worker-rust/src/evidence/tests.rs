use super::*;

const LOCK: Duration = Duration::from_secs(30);

fn ago(seconds: u64) -> Instant {
    Instant::now().checked_sub(Duration::from_secs(seconds)).expect("the clock began before")
}

#[test]
fn knows_nothing_before_a_stream_was_open() {
    assert!(!Evidence::default().may_be_over(ago(60)));
}

#[test]
fn a_lease_may_be_over_a_lock_after_the_stream_began_or_the_delivery() {
    let mut evidence = Evidence::default();
    evidence.opened(ago(31), LOCK);
    assert!(evidence.may_be_over(ago(31)));
    assert!(!evidence.may_be_over(ago(29)));
    evidence.opened(ago(29), LOCK);
    assert!(!evidence.may_be_over(ago(31)), "the new stream has kept it");
}

#[test]
fn a_heartbeat_keeps_it_once_it_is_answered() {
    let mut evidence = Evidence::default();
    evidence.opened(ago(31), LOCK);
    evidence.sent(7);
    assert!(evidence.may_be_over(ago(31)));
    evidence.answered(6);
    assert!(evidence.may_be_over(ago(31)), "another one was answered");
    evidence.answered(7);
    assert!(!evidence.may_be_over(ago(31)));
}
