// Licensed under the Apache License, Version 2.0. See LICENSE.
//! `dev.forebay.natives.NativeBudget`: the mailbox bytes that the sources of a worker share.

#![allow(unsafe_code, non_snake_case, missing_docs)]

use crate::env::export;
use forebay_core::boundary::{Mark, Objects};
use forebay_core::error::{Error, ErrorCode};
use forebay_core::mailbox::WorkerBudget;
use forebay_core::sync::Arc;
use jni::sys::{JNIEnv, jclass, jlong};

static BUDGETS: Objects<Arc<WorkerBudget>> = Objects::new(Mark::Budget);

/// The budget of a handle.
pub(crate) fn get(handle: jlong) -> Result<Arc<WorkerBudget>, Error> {
    BUDGETS.enter(handle as u64).map(|budget| Arc::clone(&budget))
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeBudget_create0")]
pub extern "system" fn create0(env: *mut JNIEnv, _: jclass, max_bytes: jlong) -> jlong {
    export(env, 0, |_| {
        let max = u64::try_from(max_bytes)
            .map_err(|_| Error::new(ErrorCode::InvalidSetting, format!("the budget is {max_bytes} bytes")))?;
        BUDGETS.insert(Arc::new(WorkerBudget::new(max))).map(|handle| handle as jlong)
    })
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeBudget_used0")]
pub extern "system" fn used0(env: *mut JNIEnv, _: jclass, handle: jlong) -> jlong {
    export(env, 0, |_| Ok(get(handle)?.used() as jlong))
}

#[unsafe(export_name = "Java_dev_forebay_natives_NativeBudget_close0")]
pub extern "system" fn close0(env: *mut JNIEnv, _: jclass, handle: jlong) {
    export(env, (), |_| {
        BUDGETS.close(handle as u64);
        Ok(())
    });
}
