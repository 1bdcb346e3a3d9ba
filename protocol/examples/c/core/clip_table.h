/* SPDX-License-Identifier: MIT */
#ifndef SB1_CLIP_TABLE_H
#define SB1_CLIP_TABLE_H

/* Written by `npm run protocol:generate` from protocol/money. The order is that of the device's clip packs. */

struct clip {
  const char *id;
#ifndef SB1_NO_WORDS
  const char *words;
#endif
};

#ifdef SB1_NO_WORDS
#define CLIP(id, words) {id}
#else
#define CLIP(id, words) {id, words}
#endif

static const struct clip CLIPS_VI[] = {
    CLIP("0", "không"),
    CLIP("1", "một"),
    CLIP("2", "hai"),
    CLIP("3", "ba"),
    CLIP("4", "bốn"),
    CLIP("5", "năm"),
    CLIP("6", "sáu"),
    CLIP("7", "bảy"),
    CLIP("8", "tám"),
    CLIP("9", "chín"),
    CLIP("10", "mười"),
    CLIP("muoi", "mươi"),
    CLIP("1s", "mốt"),
    CLIP("5s", "lăm"),
    CLIP("linh", "linh"),
    CLIP("tram", "trăm"),
    CLIP("nghin", "nghìn"),
    CLIP("trieu", "triệu"),
    CLIP("ty", "tỷ"),
    CLIP("da-nhan", "đã nhận"),
    CLIP("dong", "đồng"),
};

static const struct clip CLIPS_EN[] = {
    CLIP("1", "one"),
    CLIP("2", "two"),
    CLIP("3", "three"),
    CLIP("4", "four"),
    CLIP("5", "five"),
    CLIP("6", "six"),
    CLIP("7", "seven"),
    CLIP("8", "eight"),
    CLIP("9", "nine"),
    CLIP("10", "ten"),
    CLIP("11", "eleven"),
    CLIP("12", "twelve"),
    CLIP("13", "thirteen"),
    CLIP("14", "fourteen"),
    CLIP("15", "fifteen"),
    CLIP("16", "sixteen"),
    CLIP("17", "seventeen"),
    CLIP("18", "eighteen"),
    CLIP("19", "nineteen"),
    CLIP("20", "twenty"),
    CLIP("30", "thirty"),
    CLIP("40", "forty"),
    CLIP("50", "fifty"),
    CLIP("60", "sixty"),
    CLIP("70", "seventy"),
    CLIP("80", "eighty"),
    CLIP("90", "ninety"),
    CLIP("hundred", "hundred"),
    CLIP("thousand", "thousand"),
    CLIP("million", "million"),
    CLIP("billion", "billion"),
    CLIP("trillion", "trillion"),
    CLIP("received", "received"),
    CLIP("dong", "dong"),
};

#endif
