pluss --version
