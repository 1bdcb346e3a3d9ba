#include <string.h>
#include "board.h"
#include "sb1/sb1.h"
int main(void)
{
  board_start();
  char line[100] = "{\"event\":\"boot\",\"reset\":\"";
  strcat(line, board_reset_cause());
  strcat(line, "\"}\n");
  board_log(line, strlen(line));
  struct sb1_store store; struct sb1_memory memory={.settings={.volume=80}};
  struct sb1_flash flash = board_flash(BOARD_MEMORY);
  enum sb1_store_state state = sb1_open_memory(&store, &flash, &memory);
  char d[]="{\"state\":0,\"played\":00}\n"; d[9]+=state; d[20]+=memory.played/10%10; d[21]+=memory.played%10;
  board_log(d, strlen(d));
  memory.played++; sb1_write_memory(&store,&memory);
  for (;;) {
    int pin = board_pin();
    if (pin == 'q') board_power_off();
    if (pin == 'h') for (;;) continue;
    if (pin == 'f') *(volatile int *)0xF0000000 = 1;
    if (pin == 'o') { __asm__ volatile("ldr r0, =0x20000010\n mov sp, r0\n push {r0-r7}\n push {r0-r7}"); }
    if (pin == 'r') board_restart();
    board_feed();
    board_sleep(board_ms() + 1000);
  }
}
