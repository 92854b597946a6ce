// The library exports the function under another name.
int quire_store_plugins(void) { return 0; }
