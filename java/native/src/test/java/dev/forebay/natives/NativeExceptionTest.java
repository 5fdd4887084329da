// Licensed under the Apache License, Version 2.0. See LICENSE.
package dev.forebay.natives;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The code of an exception travels in its message, since that is all that native code can pass. */
class NativeExceptionTest {
    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "FB12: the mailbox is closed, 12",
                "FB0: nothing, 0",
                "FB2147483647: the largest, 2147483647",
                "FB7: a: b, 7",
                "FB2147483648: too large, 0",
                "FB: no number, 0",
                "FBx: no number, 0",
                "FB12 no separator, 0",
                "12: no prefix, 0",
                "'', 0",
                "null, 0"
            })
    void readsTheCodeOffTheMessageOfNativeCode(String message, int code) {
        NativeException exception = new NativeException(message);

        assertThat(exception.code()).isEqualTo(code);
        assertThat(exception.getMessage()).isEqualTo(message);
    }

    @Test
    void bothConstructorsMeanTheSame() {
        NativeException fromJava = new NativeException(12, "the mailbox is closed");
        NativeException fromNative = new NativeException(fromJava.getMessage());

        assertThat(fromNative.code()).isEqualTo(fromJava.code()).isEqualTo(12);
    }

    @Test
    void aRepeatedLoaderFailureKeepsTextCodeAndCause() {
        NativeLibraryException first = new NativeLibraryException("no library");
        NativeLibraryException again = new NativeLibraryException(first);

        assertThat(again).hasMessage("FB-1: no library").hasCause(first);
        assertThat(again.code()).isEqualTo(NativeLibraryException.NOT_LOADED);
    }
}
