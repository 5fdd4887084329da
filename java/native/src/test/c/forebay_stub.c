// Licensed under the Apache License, Version 2.0. See LICENSE.

/*
 * A stand-in for libforebay in the tests of the loader: the one export that the loader calls, and, by macro, the ways
 * in which a library can go wrong at load time. StubLibrary.java compiles it.
 */
#include <jni.h>
#include <unistd.h>

#ifndef LAYOUT
#define LAYOUT 1
#endif
#define PROTOCOL 7

#ifdef HANG
/* Runs inside dlopen: the process can be killed while its private copy is still on disk. */
__attribute__((constructor)) static void hang(void) {
    static const char ready[] = "HANGING IN DLOPEN\n";
    if (write(STDOUT_FILENO, ready, sizeof ready - 1) < 0) {
        return;
    }
    for (;;) {
        pause();
    }
}
#endif

#ifdef CRASH
__attribute__((constructor)) static void crash(void) {
    *(volatile int *)8 = 1;
}
#endif

#ifndef NO_VERSION
JNIEXPORT jlong JNICALL Java_dev_forebay_natives_NativeLibrary_version0(JNIEnv *env, jclass type) {
    (void)type;
#ifdef MISUSE
    /* The second call is made with an exception pending, which is what -Xcheck:jni warns about. */
    (*env)->FindClass(env, "no/such/Thing");
    (*env)->FindClass(env, "java/lang/Object");
    (*env)->ExceptionClear(env);
#else
    (void)env;
#endif
    return ((jlong)LAYOUT << 32) | PROTOCOL;
}
#endif
