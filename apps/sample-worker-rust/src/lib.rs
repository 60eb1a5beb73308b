//! The stubs of `echomq.v1`, made by `build.rs`.

/// What the errors of a gateway are made of.
#[allow(clippy::all, clippy::pedantic, missing_docs)]
pub mod google {
    pub mod rpc {
        tonic::include_proto!("google.rpc");
    }
}

/// The contract.
#[allow(clippy::all, clippy::pedantic, missing_docs)]
pub mod echomq {
    pub mod v1 {
        tonic::include_proto!("echomq.v1");
    }
}
