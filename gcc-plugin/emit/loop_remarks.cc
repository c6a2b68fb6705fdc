/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command predicts, in a process of its own: `pluss remarks --csv -` reads the unit's nests,
 * one after another with a NUL between, and writes a line for each loop. It may be missing, fail,
 * write nonsense or never end: that is a note, and the compilation goes on.
 *
 * The answer names places by file and line. The compiler's own places, which have columns, macros
 * and ranges, are those that were kept for the loops of the nests.
 */
#include "emit/loop_remarks.h"

#include "common/items.h"
#include "emit/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

namespace pluss
{

enum { MOST_BYTES = 1 << 22 /* of an answer */, COLUMNS = 11, MOST_SECONDS = 86400 };

static std::vector<std::string> arguments; /* of the command */
static std::string command, plugin_folder;
static long seconds = 60;
static std::vector<location_t> places;

/* ---- options ----------------------------------------------------------------------------------
 */

bool take_report_option(const plugin_argument &a, bool *known)
{
    static const struct {
        const char *key, *option;
        bool asks; /* for remarks by itself */
    } options_of_command[] = {{"report-warn", "--warn=", true},
                              {"report-error", "--fail=", true},
                              {"threads", "--threads=", false},
                              {"cache", "--cache=", false},
                              {"machine", "--machine=", false}};
    const std::string key = a.key, value = a.value ? a.value : "";
    *known = true;
    if (key == "report") {
        if (a.value && value != "on" && value != "off") {
            error("pluss: option %qs must be %<on%> or %<off%>", a.key);
            return false;
        }
        options.report = value != "off";
        return true;
    }
    if (key == "report-seconds") {
        char *end = NULL;
        seconds = a.value ? strtol(a.value, &end, 10) : 0;
        if (seconds < 1 || seconds > MOST_SECONDS || *end) {
            error("pluss: option %qs must be a number of seconds from 1 to %d", a.key,
                  MOST_SECONDS);
            return false;
        }
        return true;
    }
    if (key == "command") {
        command = value;
        return true;
    }
    if (plussi_startswith(a.key, "D-")) {
        arguments.push_back("--define=" + key.substr(2) + "=" + value);
        return true;
    }
    for (auto &o : options_of_command)
        if (key == o.key) {
            arguments.push_back(o.option + value);
            options.report = options.report || o.asks;
            return true;
        }
    *known = false;
    return true;
}

void report_beside(const char *plugin)
{
    std::string path = plugin;
    size_t slash = path.rfind('/');
    plugin_folder = slash == std::string::npos ? "." : path.substr(0, slash);
}

/* In a build, and installed; the plugins of other compilers are in folders of their own. */
static std::string find_command()
{
    if (!command.empty())
        return command;
    for (const char *place : {"/pluss", "/../pluss", "/../../bin/pluss", "/../../../bin/pluss"})
        if (access((plugin_folder + place).c_str(), X_OK) == 0)
            return plugin_folder + place;
    return std::string();
}

/* ---- places -----------------------------------------------------------------------------------
 */

void keep_place(location_t loc)
{
    if (options.report && !send_place(loc))
        places.push_back(LOCATION_LOCUS(loc));
}

/* UNKNOWN_LOCATION: none was kept. */
static location_t find_place(const std::string &file, unsigned line)
{
    location_t found = UNKNOWN_LOCATION;
    int column = INT_MAX;
    for (location_t loc : places) {
        expanded_location x = expand_location(loc);
        if (x.file && x.line == (int)line && x.column < column &&
            file == plussi_recorded_path(x.file)) {
            found = loc;
            column = x.column;
        }
    }
    return found;
}

/* ---- the command ------------------------------------------------------------------------------
 */

struct Answer {
    std::string out, err;
    int status = 0;
    bool late = false, long_winded = false;
};

/* In the child: comes back never. */
static void become_command(const char *path, char *const *argv, int in, int out, int err)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct rlimit limit;
    limit.rlim_cur = limit.rlim_max = seconds;
    setrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = limit.rlim_max = 0;
    setrlimit(RLIMIT_CORE, &limit);
    for (int s : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGINT, SIGTERM})
        signal(s, SIG_DFL);
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(127);
    for (int fd = 3; fd < 1024; fd++) /* the compiler's files are not the command's */
        close(fd);
    execv(path, argv);
    _exit(127);
}

static long now_ms()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

/* Reads both ends until they are closed, or it takes too long. */
static void read_answer(pid_t pid, int out, int err, Answer *answer)
{
    const long end = now_ms() + 1000 * seconds;
    struct pollfd fds[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    std::string *to[2] = {&answer->out, &answer->err};
    char part[1 << 14];
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        const long left = end - now_ms();
        answer->late = left <= 0;
        answer->long_winded = answer->out.size() + answer->err.size() > MOST_BYTES;
        if (answer->late || answer->long_winded) {
            kill(pid, SIGKILL);
            break;
        }
        if (poll(fds, 2, (int)std::min(left, 1000L)) < 0 && errno != EINTR)
            break;
        for (int i = 0; i < 2; i++) {
            if (fds[i].fd < 0 || !fds[i].revents)
                continue;
            ssize_t n = read(fds[i].fd, part, sizeof part);
            if (n > 0)
                to[i]->append(part, n);
            else if (n == 0 || errno != EINTR)
                fds[i].fd = -1;
        }
    }
    const struct timespec pause = {0, 2000000};
    for (pid_t ended = 0; ended == 0 || (ended < 0 && errno == EINTR);) {
        ended = waitpid(pid, &answer->status, WNOHANG);
        if (ended == 0 && !answer->late && now_ms() >= end) {
            answer->late = true;
            kill(pid, SIGKILL);
        }
        if (ended == 0)
            nanosleep(&pause, NULL);
    }
}

/* The nests as a file that has no name: it can be as long as it is, whether it is read or not. */
static int make_input(const std::vector<std::string> &nests)
{
    int fd = memfd_create("pluss-nests", MFD_CLOEXEC);
    for (const std::string &nest : nests) {
        const char *at = nest.c_str();
        for (size_t left = nest.size() + 1; fd >= 0 && left > 0;) {
            ssize_t n = write(fd, at, left);
            if (n < 0 && errno != EINTR) {
                close(fd);
                return -1;
            }
            at += n > 0 ? n : 0;
            left -= n > 0 ? n : 0;
        }
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/* False: the process or its pipes cannot be made. */
static bool run_command(const std::string &path, const std::vector<std::string> &nests,
                        Answer *answer)
{
    std::vector<std::string> words = {path, "remarks", "--format=csv"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.push_back("-");
    std::vector<char *> argv;
    for (std::string &w : words)
        argv.push_back(&w[0]);
    argv.push_back(NULL);
    int out[2] = {-1, -1}, err[2] = {-1, -1}, in = make_input(nests);
    pid_t pid = -1;
    if (in >= 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0)
        pid = fork();
    if (pid == 0)
        become_command(path.c_str(), argv.data(), in, out[1], err[1]);
    for (int fd : {in, out[1], err[1]})
        if (fd >= 0)
            close(fd);
    if (pid > 0)
        read_answer(pid, out[0], err[0], answer);
    for (int fd : {out[0], err[0]})
        if (fd >= 0)
            close(fd);
    return pid > 0;
}

/* ---- the answer -------------------------------------------------------------------------------
 */

/* The next line of CSV; false: there is none, or it is not well formed. */
static bool read_row(const std::string &text, size_t *at, std::vector<std::string> *row)
{
    row->assign(1, std::string());
    bool quoted = false;
    for (; *at < text.size(); ++*at) {
        const char c = text[*at];
        if (quoted && c == '"' && *at + 1 < text.size() && text[*at + 1] == '"') {
            row->back() += '"';
            ++*at;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            row->push_back(std::string());
        } else if (c == '\n' && !quoted) {
            ++*at;
            return true;
        } else {
            row->back() += (unsigned char)c < ' ' || c == 127 ? '?' : c;
        }
    }
    return false;
}

static bool say(const std::vector<std::string> &row)
{
    static const char no_values[] = "not predicted: no values of ";
    const std::string &severity = row[0], &file = row[1];
    const location_t loc = find_place(file, strtoul(row[2].c_str(), NULL, 10));
    std::string text = row[10];
    if (plussi_startswith(text.c_str(), no_values))
        text += " (-fplugin-arg-pluss-D-NAME=VALUE gives one)";
    if (severity == "error")
        error_at(loc, "%s", text.c_str());
    else if (severity == "warning")
        warning_at(loc, 0, "%s", text.c_str());
    else if (severity == "note")
        inform(loc, "%s", text.c_str());
    return severity == "error" || severity == "warning" || severity == "note";
}

/* False: it is no such answer. What comes before the place where that shows is said. */
static bool say_all(const std::string &answer)
{
    static const char heading[] = "severity,file,line,column,region,level,miss_ratio,"
                                  "miss_ratio_error,miss_ratio_then,steps,text\n";
    if (!plussi_startswith(answer.c_str(), heading))
        return false;
    std::vector<std::string> row;
    for (size_t at = sizeof heading - 1; at < answer.size();)
        if (!read_row(answer, &at, &row) || row.size() != COLUMNS || !say(row))
            return false;
    return true;
}

/* The first line of what the command says is wrong. */
static std::string first_error(const std::string &err)
{
    size_t at = err.find("error: "), end = err.find('\n', at);
    if (at == std::string::npos)
        return std::string();
    std::string text;
    for (char c : err.substr(at + 7, std::min(end - at - 7, (size_t)300)))
        text += (unsigned char)c < ' ' || c == 127 ? '?' : c;
    return text;
}

static void note_no_report(const std::string &path, const std::string &why)
{
    inform(UNKNOWN_LOCATION, "pluss: no report: %s%s%s", path.c_str(), path.empty() ? "" : " ",
           why.c_str());
}

void report_nests(const std::vector<std::string> &nests)
{
    if (!options.report || nests.empty() || seen_error())
        return;
    const std::string path = find_command();
    Answer answer;
    if (path.empty()) {
        note_no_report("", "there is no command pluss beside the plugin; "
                           "-fplugin-arg-pluss-command=FILE names one");
        return;
    }
    if (!run_command(path, nests, &answer)) {
        note_no_report(path, std::string("cannot be started: ") + xstrerror(errno));
        return;
    }
    const bool exited = WIFEXITED(answer.status);
    const int status = exited ? WEXITSTATUS(answer.status) : -1;
    const bool slow = answer.late || (!exited && WTERMSIG(answer.status) == SIGXCPU);
    if (slow)
        note_no_report(path, "takes longer than " + std::to_string(seconds) +
                                 " s (-fplugin-arg-pluss-report-seconds=N)");
    else if (answer.long_winded)
        note_no_report(path, "says more than can be of these loops");
    else if (status == 127)
        note_no_report(path, "cannot be started");
    else if (status != 0 && status != 1)
        note_no_report(path, !exited ? "has crashed"
                             : first_error(answer.err).empty()
                                 ? "ends with status " + std::to_string(status)
                                 : "says: " + first_error(answer.err));
    else if (!say_all(answer.out))
        note_no_report(path, "does not answer as this plugin expects: is it of another version?");
}

} // namespace pluss
