// The CRC-32 checksum of zip and PNG, which detects every single flipped bit. The function is synchronous and runs in
// browsers.

const POLYNOMIAL = 0xedb88320;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
  return remainder;
});

/** The checksum as an unsigned 32-bit integer. */
export function crc32(bytes: Uint8Array): number {
  let remainder = -1;
  for (let i = 0; i < bytes.length; i++) remainder = (remainder >>> 8) ^ table[(remainder ^ bytes[i]) & 255];
  return ~remainder >>> 0;
}

/** The checksum as eight hexadecimal digits, the form that files contain. */
export function checksumText(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}
