pluss --version | sed -E 's/GCC [0-9., ]+/GCC VERSION/'
