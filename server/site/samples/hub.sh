# Nothing to save: each request below is one curl command. It takes curl 7.76 or newer, and openssl.
