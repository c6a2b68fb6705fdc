# SPDX-License-Identifier: GPL-3.0-or-later
#
# A file as a string in C, without its comments of one line that begin with "//": awk -f embed.awk -v name=NAME FILE.
# "?" is escaped, so that no two of them begin a trigraph.
BEGIN { print "static const char " name "[] =" }
/^ *\/\/ / { next }
{
    gsub(/[\\"?]/, "\\\\&")
    print "    \"" $0 "\\n\""
}
END { print "    ;" }
