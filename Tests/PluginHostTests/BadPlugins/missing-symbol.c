// Another name is exported.
int quire_store_plugins(void) { return 0; }
