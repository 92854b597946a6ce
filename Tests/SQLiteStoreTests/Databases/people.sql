-- Tables as Core Data lays them out for the model in OneWayLinkTests.swift. Numbers: Person 1, Child 2, Tag 3.
CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);

CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
-- A relationship without an inverse is a column in the table of its destination.
CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z1TAGS INTEGER, ZNAME VARCHAR );
-- A relationship that is its own inverse has a column REFLEXIVE.
CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) );
CREATE INDEX ZTAG_Z1TAGS_INDEX ON ZTAG (Z1TAGS);
CREATE INDEX Z_1FRIENDS_REFLEXIVE_INDEX ON Z_1FRIENDS (REFLEXIVE, Z_1FRIENDS);

INSERT INTO Z_PRIMARYKEY VALUES (1, 'Person', 0, 4), (2, 'Child', 1, 0), (3, 'Tag', 0, 5);
INSERT INTO ZPERSON VALUES (1, 1, 1, 'Ada'), (2, 2, 1, 'Bob'), (3, 1, 1, 'Cid'), (4, 1, 1, 'Dee');
INSERT INTO ZTAG VALUES (1, 3, 1, 1, 'one'), (2, 3, 1, 2, 'two'), (3, 3, 1, 1, 'three'), (4, 3, 1, NULL, 'four'), (5, 3, 1, 0, 'five');
-- Each direction, one of them alone, and an object that is its own friend.
INSERT INTO Z_1FRIENDS VALUES (1, 2), (2, 1), (3, 1), (4, 4);
