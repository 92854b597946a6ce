UPDATE QUIRE_BEFORE SET BYTES = zeroblob(length(BYTES)) WHERE rowid = 1;
