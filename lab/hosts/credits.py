"""The network I/O credits of one direction of one host: a 64-bit account beside the kernel's own bucket.

The kernel's tbf keeps the bucket itself where its size fits the 32-bit number of bytes it has for it. Where it does
not, this account decides when the rate changes. In both cases it says when the credits are spent, which is when the
counters count.
"""

from dataclasses import dataclass

from lab.hosts.profiles import Profile

# tbf's burst is an unsigned 32-bit number of bytes.
KERNEL_BUCKET_LIMIT_BYTES = 2**32 - 1
# "Spent" is less than this much of the baseline's earnings. It is not zero, because a full bucket that traffic begins
# to drain between two readings is booked as if the whole time before had been earned: the account stays ahead by up to
# one reading.
_SPENT_SECONDS = 0.5
_RECOVERED_SECONDS = 1.0


@dataclass
class CreditAccount:
    """Tokens of a bucket: filled at the baseline rate, spent by traffic. Full at launch, as on EC2."""

    baseline_bytes_per_second: float
    bucket_bytes: float
    balance_bytes: float
    is_spent: bool = False

    @staticmethod
    def of(profile: Profile) -> "CreditAccount | None":
        """The account of a type that has credits; a steady type has none."""
        if profile.bucket_bits is None:
            return None
        return CreditAccount(profile.baseline_bits_per_second / 8, profile.bucket_bits / 8, profile.bucket_bits / 8)

    def pass_time(self, elapsed_seconds: float, sent_bytes: int) -> bool:
        """Books what happened since the last call; says whether `is_spent` changed."""
        earned = self.baseline_bytes_per_second * elapsed_seconds
        self.balance_bytes = max(0.0, min(self.bucket_bytes, self.balance_bytes + earned - sent_bytes))
        was_spent = self.is_spent
        if was_spent:
            self.is_spent = self.balance_bytes < self.baseline_bytes_per_second * _RECOVERED_SECONDS
        else:
            self.is_spent = self.balance_bytes < min(
                self.baseline_bytes_per_second * _SPENT_SECONDS, self.bucket_bytes / 2
            )
        return was_spent != self.is_spent


def fits_kernel_bucket(profile: Profile) -> bool:
    """Whether tbf can hold this type's bucket by itself."""
    return profile.bucket_bits is not None and profile.bucket_bits // 8 <= KERNEL_BUCKET_LIMIT_BYTES
