/* SPDX-License-Identifier: MIT */
#ifndef SB1_CLIP_TABLE_H
#define SB1_CLIP_TABLE_H

/* Written by `npm run protocol:generate` from protocol/money. The order is that of the device's clip packs. */

struct clip {
  const char *id;
  const char *words;
};

static const struct clip CLIPS_VI[] = {
    {"0", "không"},
    {"1", "một"},
    {"2", "hai"},
    {"3", "ba"},
    {"4", "bốn"},
    {"5", "năm"},
    {"6", "sáu"},
    {"7", "bảy"},
    {"8", "tám"},
    {"9", "chín"},
    {"10", "mười"},
    {"muoi", "mươi"},
    {"1s", "mốt"},
    {"5s", "lăm"},
    {"linh", "linh"},
    {"tram", "trăm"},
    {"nghin", "nghìn"},
    {"trieu", "triệu"},
    {"ty", "tỷ"},
    {"da-nhan", "đã nhận"},
    {"dong", "đồng"},
};

static const struct clip CLIPS_EN[] = {
    {"1", "one"},
    {"2", "two"},
    {"3", "three"},
    {"4", "four"},
    {"5", "five"},
    {"6", "six"},
    {"7", "seven"},
    {"8", "eight"},
    {"9", "nine"},
    {"10", "ten"},
    {"11", "eleven"},
    {"12", "twelve"},
    {"13", "thirteen"},
    {"14", "fourteen"},
    {"15", "fifteen"},
    {"16", "sixteen"},
    {"17", "seventeen"},
    {"18", "eighteen"},
    {"19", "nineteen"},
    {"20", "twenty"},
    {"30", "thirty"},
    {"40", "forty"},
    {"50", "fifty"},
    {"60", "sixty"},
    {"70", "seventy"},
    {"80", "eighty"},
    {"90", "ninety"},
    {"hundred", "hundred"},
    {"thousand", "thousand"},
    {"million", "million"},
    {"billion", "billion"},
    {"trillion", "trillion"},
    {"received", "received"},
    {"dong", "dong"},
};

#endif
