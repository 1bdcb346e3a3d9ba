#include <cstdio>
#include <cstring>

#include "sb1/crypto.h"
#include "sb1/sb1.h"

/*
 * A firmware in C++ that uses the core: it starts a session and prints the topic and the length of the birth,
 * and a span and a text of the core.
 */

namespace {

class Speaker {
 public:
  bool start(const char *key)
  {
    sb1_config config{};
    config.serial = "SPK-2026-000123";
    config.has_part[SB1_SPEAKER] = true;
    config.firmware = SB1_VERSION;
    config.model = "cplusplus";
    config.rx_bytes = SB1_RX_BYTES;
    config.has_pack[SB1_LANGUAGE_VI] = true;
    sb1_world world{};
    world.context = this;
    world.publish = [](void *context, sb1_kind kind, const char *payload, size_t length) {
      return static_cast<Speaker *>(context)->publish(kind, payload, length);
    };
    world.keep = [](void *, const sb1_memory *) { return true; };
    world.tell = [](void *, const sb1_event *) {};
    sb1_memory memory{};
    sb1_ring ring{};
    return sb1_read_ring(key, &ring) && sb1_init(&device_, &config, &ring, &world, &memory);
  }

  void connect()
  {
    const uint8_t random[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    sb1_connect(&device_, random);
    sb1_subscribed(&device_);
  }

 private:
  uint16_t publish(sb1_kind kind, const char *payload, size_t length)
  {
    std::printf("%s %d\n", sb1_kind_name(kind), std::strlen(payload) == length);
    return 1;
  }

  sb1 device_{};
};

}  // namespace

int main()
{
  static Speaker speaker;
  if (!speaker.start("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")) return 1;
  speaker.connect();
  char buffer[16];
  sb1_text text = SB1_TEXT_IN(buffer);
  sb1_span five = SB1_SPAN("5");
  sb1_text_put_number(&text, static_cast<uint32_t>(sb1_clip_find(SB1_LANGUAGE_VI, five)));
  std::printf("%s\n", buffer);
  return 0;
}
