// Licensed under the Apache License, Version 2.0. See LICENSE.
//! CRC32C of an envelope.
//!
//! The `crc32c` crate computes it, except for the length of a usual command on x86-64, where it follows one chain of
//! instructions of 3 cycles for each 8 bytes. Admission waits for the end of that chain, which was half of its time.
//! Here three chains run side by side and are joined with carry-less multiplications. A test holds both against each
//! other.

#![allow(unsafe_code)]

/// CRC32C of `bytes`.
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if interleaved::LENGTHS.contains(&bytes.len())
        && is_x86_feature_detected!("sse4.2")
        && is_x86_feature_detected!("pclmulqdq")
    {
        // SAFETY: the processor has what the function is compiled for, as was just asked.
        return unsafe { interleaved::crc32c(bytes) };
    }
    crc32c::crc32c(bytes)
}

#[cfg(target_arch = "x86_64")]
mod interleaved {
    use std::arch::x86_64::{
        __m128i, _mm_clmulepi64_si128, _mm_crc32_u8, _mm_crc32_u64, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_xor_si128,
    };
    use std::ops::RangeInclusive;

    /// Words of the longest chain.
    const MAX_CHAIN: usize = 64;

    /// Below, joining costs what it saves; above, the library interleaves by itself.
    pub(super) const LENGTHS: RangeInclusive<usize> = 96..=3 * 8 * MAX_CHAIN + 7;

    /// CRC32C's polynomial, its highest power in the lowest bit, as all numbers here.
    const POLYNOMIAL: u32 = 0x82f6_3b78;

    /// `SHIFTS[n]` moves a remainder past `n` words that follow: x^(64 n - 33) modulo the polynomial. A product of two
    /// such numbers lacks one power of x, and the instruction that reduces it multiplies by x^32 more.
    const SHIFTS: [u32; 2 * MAX_CHAIN + 1] = {
        let mut shifts = [0; 2 * MAX_CHAIN + 1];
        let mut power = times_x(1 << 31, 64 - 33);
        let mut words = 1;
        while words < shifts.len() {
            shifts[words] = power;
            power = times_x(power, 64);
            words += 1;
        }
        shifts
    };

    const fn times_x(mut value: u32, times: u32) -> u32 {
        let mut done = 0;
        while done < times {
            value = (value >> 1) ^ ((value & 1) * POLYNOMIAL);
            done += 1;
        }
        value
    }

    /// For [`LENGTHS`] only.
    #[target_feature(enable = "sse4.2,pclmulqdq")]
    pub(super) fn crc32c(bytes: &[u8]) -> u32 {
        let (words, tail) = bytes.as_chunks::<8>();
        let chain = words.len() / 3;
        let (first, rest) = words.split_at(chain);
        let (second, third) = rest.split_at(chain);
        let (mut a, mut b, mut c) = (u64::from(u32::MAX), 0, 0);
        for ((x, y), z) in first.iter().zip(second).zip(third) {
            a = _mm_crc32_u64(a, u64::from_le_bytes(*x));
            b = _mm_crc32_u64(b, u64::from_le_bytes(*y));
            c = _mm_crc32_u64(c, u64::from_le_bytes(*z));
        }
        let shifted = _mm_xor_si128(times(a, SHIFTS[2 * chain]), times(b, SHIFTS[chain]));
        let mut crc = _mm_crc32_u64(0, _mm_cvtsi128_si64(shifted) as u64) ^ c;
        for word in &third[chain..] {
            crc = _mm_crc32_u64(crc, u64::from_le_bytes(*word));
        }
        tail.iter().fold(crc as u32, |crc, byte| _mm_crc32_u8(crc, *byte)) ^ u32::MAX
    }

    #[target_feature(enable = "sse4.2,pclmulqdq")]
    fn times(remainder: u64, power: u32) -> __m128i {
        _mm_clmulepi64_si128(_mm_cvtsi64_si128(remainder as i64), _mm_cvtsi64_si128(i64::from(power)), 0)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    #[test]
    fn every_length_has_the_checksum_of_the_library() {
        let bytes: Vec<u8> = (0..4000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for start in 0..9 {
            for len in 0..2000 {
                let part = &bytes[start..start + len];
                assert_eq!(super::crc32c(part), crc32c::crc32c(part), "{len} bytes from {start}");
                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("pclmulqdq") && super::interleaved::LENGTHS.contains(&len) {
                    // SAFETY: every processor with carry-less multiplication has SSE 4.2.
                    let ours = unsafe { super::interleaved::crc32c(part) };
                    assert_eq!(ours, crc32c::crc32c(part), "{len} bytes from {start}, interleaved");
                }
            }
        }
    }

    /// Appendix B.4 of RFC 3720.
    #[test]
    fn the_standard_has_the_same_checksum() {
        assert_eq!(super::crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(super::crc32c(&[0xff; 32]), 0x62a8_ab43);
    }

    proptest! {
        #[test]
        fn any_bytes_have_the_checksum_of_the_library(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
            prop_assert_eq!(super::crc32c(&bytes), crc32c::crc32c(&bytes));
        }
    }
}
