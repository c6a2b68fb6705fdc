/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bodies in high GIMPLE, OpenMP constructs whole, as text, for a compiler of the same version to
 * read in another process. GCC's own streams of -flto hold them lowered.
 *
 * One set of functions both writes and reads: each passes over the fields of a node, in one order,
 * and either puts their values into the text or takes them out of it.
 *
 * Numbers are printed in digits of five bits, the last one without the bit 32, from '0' on; other
 * text byte by byte, with \hh for bytes that a line of assembly should not hold.
 */
#ifndef PLUSSI_PLUGIN_ARCHIVE_H
#define PLUSSI_PLUGIN_ARCHIVE_H

#include "common/gcc-compat.h"

namespace pluss
{

class Archive
{
  public:
    Archive() : writing(true) {}
    explicit Archive(const std::string &from) : writing(false), text(from) {}

    const bool writing;
    std::string text;
    bool failed = false;      /* writing: there is a node of a kind that is not written */
    std::set<tree> mentioned; /* writing: functions */
    /* Reading: the declaration that has a symbol already, NULL if there is none; one that has it
     * from now on. */
    std::function<tree(const std::string &)> find_symbol;
    std::function<void(const std::string &, tree)> note_symbol;

    /* All of them stop the process where the text is not what they have written. */
    void number_at(uint64_t *n);
    uint64_t number(uint64_t n = 0);
    /* Of things that are written next, each in one byte or more. */
    size_t count(size_t n);
    bool flag(bool f = false) { return number(f) != 0; }
    void string(std::string *s);
    /* The memory of a plain object. */
    void memory(void *from, void *end);
    /* An expression, a declaration, a type, a list or NULL. Shared nodes are written once. */
    void node(tree *t);
    void sequence(gimple_seq *seq);
    void place(location_t *loc);
    /* The places, which come before all else in the text to be read: in the source's order. */
    void places();

    /* Undoes what was written since a mark. */
    struct Mark {
        size_t length, known, places;
    };
    Mark mark() const { return {text.size(), known.size(), order.size()}; }
    void take_back(const Mark &m);
    /* Writing: those to come are another function's. */
    void forget_ssa_names();

  private:
    enum Kind { Nothing, Known, Name, Type, Declaration, Expression };
    typedef std::pair<int, uint64_t> Key;

    size_t at = 0;
    std::vector<tree> known; /* shared nodes; reading: NULL while they are read */
    std::map<Key, uint64_t> numbers;
    std::vector<Key> keys;                        /* of known, writing */
    std::map<location_t, uint64_t> place_numbers; /* writing */
    std::vector<location_t> order;                /* by number */

    static Key key_of(tree t);
    Kind kind_of(tree t, uint64_t *index);
    size_t add_known(tree t);
    void digits(uint64_t n);
    uint64_t digits();

    void type(tree *t);
    tree scalar_type(tree_code code, tree t);
    void function_type(tree *t, tree_code code);
    void array_type(tree *t);
    void record_type(tree *t, tree_code code);
    void type_bits(tree t);
    void name_of_type(tree t);
    void declaration(tree *t);
    void attributes(tree d);
    void temporary(tree *t);
    void literal(tree *t, tree_code code);
    void list(tree *t);
    void several(tree *t);
    void constructor(tree *t);
    void clauses(tree *t);
    void expression(tree *t);

    void statement(gimple **g);
    void variables(tree *list);
    void construct(gimple *g);
};

/* The name by which other units know a declaration; "": they do not. */
std::string symbol_of(tree declaration);

} // namespace pluss
#endif
