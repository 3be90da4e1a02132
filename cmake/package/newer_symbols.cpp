// What GCC 12's headers and Mixwell call and an older libstdc++ or glibc lacks: sysroot.sh links it statically, and
// no library exports it. A link that fails for want of another symbol names what to add here.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

// Since GCC 9 and GCC 11. The streams, with their virtual tables, are those of the shared libstdc++.
namespace std {

template basic_stringbuf<char>::basic_stringbuf();
template basic_stringstream<char>::basic_stringstream();
template basic_istringstream<char>::basic_istringstream();
template basic_ostringstream<char>::basic_ostringstream();
template basic_stringbuf<char>::basic_stringbuf(string&&, ios_base::openmode);
template basic_stringstream<char>::basic_stringstream(string&&, ios_base::openmode);
template basic_istringstream<char>::basic_istringstream(string&&, ios_base::openmode);
template basic_ostringstream<char>::basic_ostringstream(string&&, ios_base::openmode);
template void basic_stringbuf<char>::str(string&&);
template void basic_stringstream<char>::str(string&&);
template void basic_istringstream<char>::str(string&&);
template void basic_ostringstream<char>::str(string&&);
template string basic_stringbuf<char>::str() const&;
template string basic_stringbuf<char>::str() &&;
template string basic_stringstream<char>::str() const&;
template string basic_stringstream<char>::str() &&;
template string basic_ostringstream<char>::str() const&;
template string basic_ostringstream<char>::str() &&;
template string_view basic_stringbuf<char>::view() const noexcept;
template string_view basic_stringstream<char>::view() const noexcept;
template string_view basic_ostringstream<char>::view() const noexcept;

logic_error::logic_error(logic_error&& other) noexcept
    : logic_error(static_cast<const logic_error&>(other)) {}
logic_error& logic_error::operator=(logic_error&& other) noexcept {
  return *this = static_cast<const logic_error&>(other);
}
runtime_error::runtime_error(runtime_error&& other) noexcept
    : runtime_error(static_cast<const runtime_error&>(other)) {}
runtime_error& runtime_error::operator=(runtime_error&& other) noexcept {
  return *this = static_cast<const runtime_error&>(other);
}

void __throw_bad_array_new_length() { throw bad_array_new_length(); }

}  // namespace std

// Called by libstdc++'s exception_ptr where a destructor throws.
namespace __cxxabiv1 {
[[noreturn]] void __terminate(std::terminate_handler) noexcept { std::terminate(); }
}  // namespace __cxxabiv1

// False: reference counts are atomic, as in a process with threads.
extern "C" char __libc_single_threaded;
char __libc_single_threaded = 0;

extern "C" const char* sigabbrev_np(int signal) noexcept {
  switch (signal) {
#define NAME(abbreviation) \
  case SIG##abbreviation: return #abbreviation
    NAME(HUP);
    NAME(INT);
    NAME(QUIT);
    NAME(ILL);
    NAME(TRAP);
    NAME(ABRT);
    NAME(BUS);
    NAME(FPE);
    NAME(KILL);
    NAME(USR1);
    NAME(SEGV);
    NAME(USR2);
    NAME(PIPE);
    NAME(ALRM);
    NAME(TERM);
    NAME(STKFLT);
    NAME(CHLD);
    NAME(CONT);
    NAME(STOP);
    NAME(TSTP);
    NAME(TTIN);
    NAME(TTOU);
    NAME(URG);
    NAME(XCPU);
    NAME(XFSZ);
    NAME(VTALRM);
    NAME(PROF);
    NAME(WINCH);
    NAME(IO);
    NAME(PWR);
    NAME(SYS);
#undef NAME
    default: return nullptr;
  }
}
