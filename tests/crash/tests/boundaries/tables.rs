//! What every class of step promises about a kill at every boundary: data only.

/// Each row a class, each column a boundary, each cell `END:MADE/STANDING` of the step under test; `-` where the class never
/// comes there. The workers die at the column's places, one after the other; then one lives.
pub(crate) struct Table {
    pub(crate) then: Then,
    pub(crate) columns: &'static [(&'static str, &'static [&'static str])],
    pub(crate) rows: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Then {
    /// The body goes on.
    Go,
    /// The body refuses after its steps.
    Refuse,
    /// Somebody cancels while no worker lives.
    Cancel,
    /// As [`Then::Cancel`], and it comes too late.
    CancelTooLate,
    /// A signal is there from the beginning.
    SignalFirst,
    /// A signal comes while no worker lives.
    SignalMeanwhile,
}

/// `%` is the step under test.
pub(crate) const FORWARD: Table = Table {
    then: Then::Go,
    columns: &[
        ("before intent", &["before-commit:step_intended:%"]),
        ("after intent", &["after-commit:step_intended:%"]),
        ("before effect", &["before-effect:%"]),
        ("after effect", &["after-effect:%"]),
        ("before record", &["before-commit:step_done:%"]),
        ("after record", &["after-commit:step_done:%"]),
        ("twice", &["before-effect:%", "after-effect:%"]),
        ("before the end", &["before-commit:ended"]),
        ("after the end", &["after-commit:ended"]),
    ],
    rows: "
    keyed           completed:1/1  completed:1/1   completed:1/1   completed:1/1   completed:1/1   completed:1/1 completed:1/1  completed:1/1 completed:1/1
    natural         completed:1/1  completed:1/1   completed:1/1   completed:1/1   completed:1/1   completed:1/1 completed:1/1  completed:1/1 completed:1/1
    verified        completed:1/1  completed:1/1   completed:1/1   completed:1/1   completed:1/1   completed:1/1 completed:1/1  completed:1/1 completed:1/1
    reviewed        completed:1/1  ask-clerks:0/0  ask-clerks:0/0  ask-clerks:1/1  ask-clerks:1/1  completed:1/1 -              completed:1/1 completed:1/1
    numbered        completed:1/1  completed:1/1   completed:1/1   completed:1/1   completed:1/1   completed:1/1 completed:1/1  completed:1/1 completed:1/1
    kept            completed:1/1  completed:1/1   completed:1/1   completed:1/1   completed:1/1   completed:1/1 completed:1/1  completed:1/1 completed:1/1
    reading         completed:0/0  completed:0/0   completed:0/0   completed:0/0   completed:0/0   completed:0/0 completed:0/0  completed:0/0 completed:0/0
    pivot_keyed     completed:1/1  completed:1/1   completed:1/1   completed:1/1   completed:1/1   completed:1/1 completed:1/1  completed:1/1 completed:1/1
    pivot_verified  completed:1/1  completed:1/1   completed:1/1   completed:1/1   completed:1/1   completed:1/1 completed:1/1  completed:1/1 completed:1/1
    delivered       completed:1/1  completed:1/1   completed:1/1   completed:1/1   completed:1/1   completed:1/1 completed:1/1  completed:1/1 completed:1/1
    ",
};

pub(crate) const CHECK: Table = Table {
    then: Then::Go,
    columns: &[
        ("there, before the look", &["after-effect:%", "before-check:%"]),
        ("there, after the look", &["after-effect:%", "after-check:%"]),
        ("there, before its record", &["after-effect:%", "before-commit:step_done:%"]),
        ("not there, before the look", &["before-effect:%", "before-check:%"]),
        ("not there, after the look", &["before-effect:%", "after-check:%"]),
        ("not there, before its record", &["before-effect:%", "before-commit:looked:%"]),
        ("not there, after its record", &["before-effect:%", "after-commit:looked:%"]),
        ("sent again, and lost again", &["before-effect:%", "after-effect:%", "after-check:%"]),
    ],
    rows: "
    verified        completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1
    numbered        completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1
    kept            completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1
    pivot_verified  completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1
    delivered       completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1 completed:1/1
    ",
};

pub(crate) const UNDO: Table = Table {
    then: Then::Refuse,
    columns: &[
        ("before the unwind", &["before-commit:unwind_started"]),
        ("after it began", &["after-commit:unwind_started"]),
        ("before its effect", &["before-undo:%"]),
        ("after its effect", &["after-undo:%"]),
        ("before its record", &["before-commit:undone:%"]),
        ("after its record", &["after-commit:undone:%"]),
        ("after forward and undo", &["after-effect:%", "after-undo:%"]),
    ],
    rows: "
    keyed     refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0
    natural   refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0
    verified  refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0
    reviewed  refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 -
    numbered  refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0 refused:1/0
    kept      refused:1/1 refused:1/1 -           -           -           -           -
    reading   refused:0/0 refused:0/0 -           -           -           -           -
    ",
};

pub(crate) const CANCEL: Table = Table {
    then: Then::Cancel,
    columns: &[
        ("before intent", &["before-commit:step_intended:%"]),
        ("before effect", &["before-effect:%"]),
        ("after effect", &["after-effect:%"]),
        ("after record", &["after-commit:step_done:%"]),
    ],
    rows: "
    keyed           cancelled:0/0  cancelled:0/0   cancelled:1/0   cancelled:1/0
    natural         cancelled:0/0  cancelled:0/0   cancelled:1/0   cancelled:1/0
    verified        cancelled:0/0  cancelled:0/0   cancelled:1/0   cancelled:1/0
    reviewed        cancelled:0/0  ask-clerks:0/0  ask-clerks:1/1  cancelled:1/0
    numbered        cancelled:0/0  cancelled:0/0   cancelled:1/0   cancelled:1/0
    kept            cancelled:0/0  cancelled:0/0   cancelled:1/1   cancelled:1/1
    reading         cancelled:0/0  cancelled:0/0   cancelled:0/0   -
    pivot_keyed     cancelled:0/0  -               -               -
    pivot_verified  cancelled:0/0  -               -               -
    ",
};

pub(crate) const CANCEL_TOO_LATE: Table = Table {
    then: Then::CancelTooLate,
    columns: &[
        ("before effect", &["before-effect:%"]),
        ("after effect", &["after-effect:%"]),
        ("after record", &["after-commit:step_done:%"]),
    ],
    rows: "
    pivot_keyed     completed:1/1  completed:1/1  completed:1/1
    pivot_verified  completed:1/1  completed:1/1  completed:1/1
    delivered       completed:1/1  completed:1/1  -
    ",
};

pub(crate) const WAIT: Table = Table {
    then: Then::Go,
    columns: &[
        ("before the wait", &["before-commit:wait_started"]),
        ("in the wait", &["after-commit:wait_started"]),
        ("before its end", &["before-commit:wait_elapsed"]),
        ("after its end", &["after-commit:wait_elapsed"]),
    ],
    rows: "
    sleeping  completed:1/1 completed:1/1 completed:1/1 completed:1/1
    waiting   refused:1/0   refused:1/0   refused:1/0   refused:1/0
    ",
};

pub(crate) const SIGNAL_FIRST: Table = Table {
    then: Then::SignalFirst,
    columns: &[
        ("before it is taken up", &["before-commit:signal_received"]),
        ("after it is taken up", &["after-commit:signal_received"]),
    ],
    rows: "waiting completed:1/1 completed:1/1",
};

pub(crate) const SIGNAL_MEANWHILE: Table = Table {
    then: Then::SignalMeanwhile,
    columns: &[("before the wait", &["before-commit:wait_started"]), ("in the wait", &["after-commit:wait_started"])],
    rows: "waiting completed:1/1 completed:1/1",
};

/// A worker that is lost again and again at one place is not lost by chance. Outside any step the run itself is set aside,
/// and then it is not its saga's owner who is asked but whoever operates the workers.
pub(crate) const LOOP: Table = Table {
    then: Then::Refuse,
    columns: &[
        ("in the effect", &["before-effect:%"; 5]),
        ("in the undo", &["before-undo:%"; 5]),
        ("outside any step", &["before-commit:step_intended:%"; 5]),
    ],
    rows: "keyed crash_loop-desk:0/0 crash_loop-desk:1/1 crash_loop-desk:0/0",
};
