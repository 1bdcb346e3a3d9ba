#include "at.h"

void at_flush(struct at *at)
{
  size_t taken;
  if (at->out_left == 0) return;
  taken = at->uart->write(at->uart->context, at->out, at->out_left);
  at->out = (const char *)at->out + taken;
  at->out_left -= taken;
}

void at_write(struct at *at, const void *bytes, size_t count)
{
  at->out = bytes;
  at->out_left = count;
  at_flush(at);
}

void at_take_raw(struct at *at, uint8_t *raw, size_t count)
{
  at->raw = raw;
  at->raw_left = count;
  at->is_after_raw = count > 0;
}

void at_clear(struct at *at)
{
  at->out_left = at->line_length = at->raw_left = 0;
  at->is_after_raw = false;
}

static void take_raw(struct at *at, uint8_t byte)
{
  if (at->raw) *at->raw++ = byte;
  at->raw_left--;
}

/** What follows raw bytes is CR LF. If it is not, some of them were lost. */
static bool is_raw_end(const struct at *at, uint8_t byte)
{
  return at->line_length == 0 ? byte == '\r' : byte == '\n';
}

/** Ends a line at LF. The CRs before it are no part of it; an echo has two. */
static enum at_event end_line(struct at *at)
{
  size_t length = at->line_length;
  while (length > 0 && at->line[length - 1] == '\r') length--;
  at->line[length] = '\0';
  at->line_length = 0;
  at->is_after_raw = false;
  return length == 0 ? AT_NOTHING : AT_LINE;
}

static enum at_event take(struct at *at, char byte)
{
  if (byte == '\n') return end_line(at);
  if (at->line_length == 0 && byte == '>') return AT_PROMPT;
  /* The space belongs to the prompt before. A NUL would end the line too early. */
  if (byte == '\0' || (at->line_length == 0 && byte == ' ')) return AT_NOTHING;
  if (at->line_length < AT_LINE_BYTES - 1) at->line[at->line_length++] = byte;
  return AT_NOTHING;
}

enum at_event at_read(struct at *at)
{
  enum at_event event = AT_NOTHING;
  while (event == AT_NOTHING) {
    if (at->in_at == at->in_length) {
      at->in_at = 0;
      at->in_length = at->uart->read(at->uart->context, at->in, sizeof at->in);
      if (at->in_length == 0) break;
    }
    uint8_t byte = at->in[at->in_at++];
    if (at->raw_left > 0) take_raw(at, byte);
    else if (at->is_after_raw && !is_raw_end(at, byte)) event = AT_BROKEN;
    else event = take(at, (char)byte);
  }
  return event;
}
