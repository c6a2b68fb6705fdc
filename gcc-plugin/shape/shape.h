/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The arrays of a nest: from objects and the references to them to element type, dimensions,
 * strides and subscripts. See shape.cc, views.cc, tables.cc, lower.cc, placed.cc.
 */
#ifndef PLUSSI_PLUGIN_SHAPE_H
#define PLUSSI_PLUGIN_SHAPE_H

#include "analysis/analysis.h"

namespace pluss
{

struct Array {
    Object *object;
    std::string name;
    plussi_elem elem = PLUSSI_ELEM_BYTES;
    int64_t elem_bytes = 0;
    std::vector<Poly> stride; /* bytes, outermost first; its size is the rank. (Of rows of a table:
                                 only from `outer' on, the others are the table's dimensions.) */
    size_t outer = 0;
    bool is_memory = false;   /* all of memory, from address 0: its subscripts are addresses */
    std::vector<Poly> extent; /* elements; zero: not known (the outermost only) */
    bool explicit_strides = false;
    Array *over = nullptr; /* it is a view of that array, `shift` bytes from its start */
    int64_t shift = 0;
    bool column_order = false;
    /* Of a descriptor's array (Fortran): the symbol of how many elements after the first one in
     * memory subscript 0 is; of the bytes between elements. NULL: none. */
    const Atom *zero = nullptr, *span = nullptr;
    /* What Fortran's source calls subscript 0 of each dimension, as `stride'; empty: not known. */
    std::vector<int64_t> lower;
    std::vector<int64_t> values; /* of a constant table */
    Poly moved; /* bytes by which all references are further than their subscripts say */
};

/* A reference (or an indirect subscript) in terms of an array of the nest. */
struct Place {
    Array *array = nullptr;
    std::vector<Poly> subs;
    int64_t offset = 0;
    uint64_t width = 0;
    std::string reason; /* why there is no array */
};

class Shapes
{
  public:
    explicit Shapes(Analysis &a) : an(a) {}
    /* Finds the arrays and places of all references below `top`. */
    void infer_shapes(const std::vector<Item *> &top);
    /* Subscripts that are the same in all references to an array, but for constants, and in all
     * iterations are taken out of them and are in Array::moved. */
    void move_arrays();
    const Place &place_of(const Ref *ref);
    const Place &place_of(const Atom *load);
    bool is_scalar(const Ref *ref);
    std::deque<Array> arrays;

  private:
    Analysis &an;
    std::map<const Ref *, Place> places;
    std::map<const Atom *, Place> load_places;
    std::map<Object *, std::vector<const Ref *>> by_object;
    std::vector<Object *> order;
    std::deque<Ref> load_refs;
    std::map<const Ref *, const Atom *> load_of;
    std::set<Object *> done;
    std::set<Object *> by_address; /* Rows that are reached by the pointers that are stored */

    void read_tables();
    void split_loaded_parts();
    void collect_refs(const std::vector<Item *> &items);
    void collect_refs(const Poly &p);
    void collect_refs(const Cond *c);
    void add_ref(const Ref *r);
    void shape_object(Object *o);
    bool follows_data(const std::vector<const Ref *> &refs);
    void find_rows_by_address();
    void shape_rows_by_address(Object *o, const std::vector<const Ref *> &refs);
    const Array *table_array(Object *table);
    bool find_row(Object *table, const std::vector<Poly> &path, size_t k, std::vector<Poly> *subs,
                  int64_t *at);
    void shape_rows(Object *o, const std::vector<const Ref *> &refs, const std::string &name);
    void shape_field(Object *o, const std::vector<const Ref *> &refs, Array **main, bool together);
    void shape_field_rows(Object *o, const std::vector<const Ref *> &refs, const std::string &name);
    Array *add_struct_array(Object *o, const std::vector<Poly> &stride, size_t outer, bool whole);
    bool find_field_extent(const std::vector<const Ref *> &refs, size_t level, Poly *out);
    void shape_view(Object *o, const std::vector<const Ref *> &refs, Array *over);
    bool shape_whole_and_elements(Object *o, const std::vector<const Ref *> &refs, Array *a);
    bool shape_by_descriptor(Object *o, const std::vector<const Ref *> &refs, Array *a);
    bool shape_flat(Object *o, const std::vector<const Ref *> &refs, Array *a,
                    const std::vector<Poly> &hint);
    bool try_strides(const std::vector<const Ref *> &refs, const std::vector<Poly> &stride,
                     Array *a);
    bool express_offset(const Poly &offset, const std::vector<Poly> &stride, bool prove,
                        std::vector<Poly> *subs, int64_t *rest);
    void set_place(const Ref *r, const Place &p);
    void refuse_refs(const std::vector<const Ref *> &refs, const std::string &why);
};

/* The size of a type in bytes (0: it varies), and the kind of element. */
int64_t type_bytes(tree type);
plussi_elem element_kind(tree type, int64_t bytes);
bool same_strides(const std::vector<Level> &a, const std::vector<Level> &b);
/* Has it another value in other iterations or threads? */
bool varies(const Atom *a);
/* Computes extents from strides; the outermost from the size of the whole, if that is known. */
void set_extents(Analysis &an, Object *o, Array *a, bool whole);

/* Sets the lower bounds of an array of Fortran that these are the references to, if they are known
 * for certain. by_descriptor: its strides are those of its descriptor. */
void find_lower_bounds(Analysis &an, const std::vector<const Ref *> &refs, Array *a,
                       bool by_descriptor);

/* swaps.cc: makes exchanges of arrays those of all that they lead to, or unknown. */
void settle_swaps(Analysis &an, Shapes &shapes, std::vector<Item *> *top);
/* Makes references, loops and guards unknown that the nest cannot express. */
void refuse_unplaced(Shapes &shapes, std::vector<Item *> *items);

} // namespace pluss
#endif
