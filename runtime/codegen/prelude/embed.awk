# SPDX-License-Identifier: GPL-3.0-or-later
#
# A prelude as strings in C: awk -f embed.awk -v root=FOLDER prelude.c. What follows a line "@text NAME" becomes
# `static const char NAME_text[]`, up to the next line with "@text" or "@stand-in"; what follows the latter is left out.
# A header that is included in quotes is put in place, from FOLDER.
function put(line) {
    gsub(/[\\"]/, "\\\\&", line)
    print "    \"" line "\\n\""
}
function end_text() {
    if (copying)
        print "    ;"
    copying = 0
}
/@text / {
    end_text()
    sub(/.*@text /, "")
    print "static const char " $1 "_text[] ="
    copying = 1
    next
}
/@stand-in/ { end_text() }
copying && /^#include "/ {
    file = $0
    gsub(/^#include "|"$/, "", file)
    while ((found = (getline line < (root "/" file))) > 0)
        put(line)
    if (found < 0) {
        print "embed.awk: cannot read " root "/" file >"/dev/stderr"
        exit 1
    }
    next
}
copying { put($0) }
END { end_text() }
