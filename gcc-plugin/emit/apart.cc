/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A shadow body takes declaration numbers, types and memory, and GCC's results depend on such
 * numbers: the order of hash tables and of location lists follows them. So functions are described
 * in a child process of the compiler, which sends notes and nests back through a pipe. An internal
 * error or an endless search then ends the child, not the compilation; the function is not
 * described, and its nest says so.
 *
 * The child writes to the pipe only: buffered output of the compiler must not be written twice, and
 * messages are the parent's to print. A child ends by _exit or by a signal.
 *
 * A message: kind (N note, T nest, P place of a loop, A answer), place (location_t in decimal,
 * without its block), the text's length, a line end, the text. The last message is E; without it
 * the child has failed.
 */
#include "emit/apart.h"

#include "emit/emit.h"
#include "emit/loop_remarks.h"
#include "emit/note.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace pluss
{

enum { MAX_CPU_SECONDS = 120 }; /* a function takes milliseconds */

static int pipe_end = -1; /* in the child: the end that the compiler reads from */

static void send_message(char kind, location_t loc, const std::string &text)
{
    char head[64];
    snprintf(head, sizeof head, "%c %llu %lu\n", kind, (unsigned long long)loc,
             (unsigned long)text.size());
    std::string all = head + text;
    for (size_t at = 0; at < all.size();) {
        ssize_t n = write(pipe_end, all.data() + at, all.size() - at);
        if (n < 0 && errno != EINTR)
            _exit(1);
        at += n > 0 ? n : 0;
    }
}

bool send_note(location_t loc, const std::string &text)
{
    if (pipe_end < 0)
        return false;
    send_message('N', LOCATION_LOCUS(loc), text);
    return true;
}

bool send_nest(const std::string &text)
{
    if (pipe_end < 0)
        return false;
    send_message('T', 0, text);
    return true;
}

bool send_place(location_t loc)
{
    if (pipe_end < 0)
        return false;
    send_message('P', LOCATION_LOCUS(loc), "");
    return true;
}

bool send_answer(const std::string &text)
{
    if (pipe_end < 0)
        return false;
    send_message('A', 0, text);
    return true;
}

static std::string answer;

const std::string &child_answer()
{
    return answer;
}

bool in_child()
{
    return pipe_end >= 0;
}

void end_child()
{
    if (pipe_end < 0)
        return;
    send_message('E', 0, "");
    _exit(0);
}

static void run_child(void (*work)(function *), function *fn)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no one reads what a stopped compiler's child finds */
    for (int s : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL})
        signal(s, SIG_DFL);
    plussi_abort_on_error();
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        for (FILE *f : {stdout, stderr, asm_out_file})
            if (f)
                dup2(nowhere, fileno(f));
    }
    struct rlimit limit;
    limit.rlim_cur = limit.rlim_max = MAX_CPU_SECONDS;
    setrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = limit.rlim_max = 0;
    setrlimit(RLIMIT_CORE, &limit);
    work(fn);
    end_child();
}

static std::string read_all(int fd)
{
    std::string all;
    char part[1 << 16];
    for (;;) {
        ssize_t n = read(fd, part, sizeof part);
        if (n == 0 || (n < 0 && errno != EINTR))
            return all;
        all.append(part, n > 0 ? n : 0);
    }
}

std::string run_in_child(void (*work)(function *), function *fn, bool keep)
{
    int ends[2];
    pid_t pid = -1;
    answer.clear();
    bool piped = pipe(ends) == 0;
    if (piped && (pid = fork()) < 0) {
        close(ends[0]);
        close(ends[1]);
    }
    if (pid < 0) {
        if (keep)
            work(fn);
        return "";
    }
    if (pid == 0) {
        close(ends[0]);
        pipe_end = ends[1];
        run_child(work, fn);
    }
    close(ends[1]);
    std::string all = read_all(ends[0]);
    close(ends[0]);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    struct Message {
        char kind;
        location_t loc;
        std::string text;
    };
    std::vector<Message> messages;
    bool whole = false;
    for (size_t at = 0; at < all.size() && !whole;) {
        unsigned long long loc;
        unsigned long length;
        char kind;
        size_t line = all.find('\n', at);
        if (line == std::string::npos ||
            sscanf(all.c_str() + at, "%c %llu %lu", &kind, &loc, &length) != 3 ||
            all.size() - (line + 1) < length)
            break;
        if (kind == 'E')
            whole = true;
        else
            messages.push_back({kind, (location_t)loc, all.substr(line + 1, length)});
        at = line + 1 + length;
    }
    if (!whole)
        return WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)
                   ? "its analysis takes too long"
                   : "its analysis failed; please report this";
    for (const Message &m : messages)
        if (m.kind == 'A')
            answer = m.text;
        else if (!keep)
            continue;
        else if (m.kind == 'N')
            note_loop(m.loc, m.text);
        else if (m.kind == 'P')
            keep_place(m.loc);
        else
            emit_nest(m.text, fn ? fn->decl : NULL_TREE);
    return "";
}

} // namespace pluss
