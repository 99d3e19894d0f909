// CRC-32 as in zip and PNG: finds every flipped bit, and runs in browsers too, without waiting.

const POLYNOMIAL = 0xedb88320;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
  return remainder;
});

/** 32 bits, as a whole number that is not negative. */
export function crc32(bytes: Uint8Array): number {
  let remainder = -1;
  for (let i = 0; i < bytes.length; i++) remainder = (remainder >>> 8) ^ table[(remainder ^ bytes[i]) & 255];
  return ~remainder >>> 0;
}
