#include "sha256.h"

#include <string.h>

#include "sb1/crypto.h"

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t word, unsigned bits)
{
  return word >> bits | word << (32 - bits);
}

static uint32_t word_at(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/** Only the last 16 words of the message schedule are needed, so it has 16. */
static uint32_t scheduled(uint32_t words[16], unsigned round)
{
  uint32_t *word = &words[round % 16];
  uint32_t late = words[(round + 14) % 16], early = words[(round + 1) % 16];
  *word += (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10) + words[(round + 9) % 16] +
           (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3);
  return *word;
}

/** The names are those of FIPS 180-4, 6.2.2. */
static void compress(struct sha256 *hash)
{
  uint32_t words[16], *s = hash->state;
  uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
  for (unsigned i = 0; i < 16; i++) words[i] = word_at(&hash->block[4 * i]);
  for (unsigned round = 0; round < 64; round++) {
    uint32_t word = round < 16 ? words[round] : scheduled(words, round);
    uint32_t t1 =
        h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + K[round] + word;
    uint32_t t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  s[0] += a;
  s[1] += b;
  s[2] += c;
  s[3] += d;
  s[4] += e;
  s[5] += f;
  s[6] += g;
  s[7] += h;
}

void sha256_start(struct sha256 *hash)
{
  static const uint32_t START[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, START, sizeof START);
  hash->length = 0;
}

static void add(struct sha256 *hash, uint8_t byte)
{
  hash->block[hash->length++ % sizeof hash->block] = byte;
  if (hash->length % sizeof hash->block == 0) compress(hash);
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t count)
{
  const uint8_t *from = bytes;
  while (count-- > 0) add(hash, *from++);
}

void sha256_end(struct sha256 *hash, uint8_t digest[32])
{
  uint64_t bits = (uint64_t)hash->length * 8;
  /* 1 to 64 bytes of padding, so that the length of 8 bytes ends a block. */
  add(hash, 0x80);
  while (hash->length % 64 != 56) add(hash, 0);
  for (unsigned i = 0; i < 8; i++) add(hash, (uint8_t)(bits >> (56 - 8 * i)));
  for (unsigned i = 0; i < 32; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

/** Starts a hash with the block of an HMAC key (RFC 2104, 2). */
static void start_padded(struct sha256 *hash, const uint8_t block[64], uint8_t pad)
{
  sha256_start(hash);
  for (unsigned i = 0; i < 64; i++) add(hash, block[i] ^ pad);
}

bool sb1_hmac_sha256(const uint8_t *key, size_t key_length, const void *head, size_t head_length,
                     const void *body, size_t body_length, uint8_t mac[SB1_SHA256_BYTES])
{
  struct sha256 hash;
  uint8_t block[64] = {0};
  if (key_length > sizeof block) {
    sha256_start(&hash);
    sha256_add(&hash, key, key_length);
    sha256_end(&hash, block);
  } else if (key_length > 0) {
    memcpy(block, key, key_length);
  }
  start_padded(&hash, block, 0x36);
  sha256_add(&hash, head, head_length);
  sha256_add(&hash, body, body_length);
  sha256_end(&hash, mac);
  start_padded(&hash, block, 0x5C);
  sha256_add(&hash, mac, SB1_SHA256_BYTES);
  sha256_end(&hash, mac);
  return true;
}
