# Builds BearSSL from its source, for whatever CC makes. Set BEARSSL to the folder: see bearssl.sh.
# $(OUT)/libbearssl.a has everything; the linker takes what tls.c names.

BEARSSL_SOURCES := $(wildcard $(BEARSSL)/src/*.c $(BEARSSL)/src/*/*.c)
BEARSSL_OBJECTS := $(patsubst $(BEARSSL)/%.c,$(OUT)/bearssl/%.o,$(BEARSSL_SOURCES))

$(OUT)/bearssl/%.o: $(BEARSSL)/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -w -DBR_USE_UNIX_TIME=0 -DBR_USE_URANDOM=0 -ffunction-sections -fdata-sections -I$(BEARSSL)/inc -I$(BEARSSL)/src -c -o $@ $<

$(OUT)/libbearssl.a: $(BEARSSL_OBJECTS)
	$(AR) rcs $@ $^
