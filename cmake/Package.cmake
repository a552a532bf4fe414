# What is installed where, and the Debian package of it (`make package`, docs/operations.md).
#
# The program finds its data and its page beside itself: ../share/berth/data and ../share/berth/web
# (src/cli/environment.cc). The page is that of web/dist, when it has been built.
set(package_release 1)
set(package_contact "The authors of Berth <maintainers@berth.invalid>")

# `cpack` packs what is built; it doesn't build tests and benches first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

install(TARGETS berth RUNTIME DESTINATION bin)
install(DIRECTORY data/ DESTINATION share/berth/data)
install(DIRECTORY web/dist/ DESTINATION share/berth/web OPTIONAL)
install(FILES packaging/prometheus/berth.rules.yml DESTINATION share/berth/prometheus)
install(FILES README.md ARCHITECTURE.md DESTINATION share/doc/berth)
install(DIRECTORY docs DESTINATION share/doc/berth)
install(FILES packaging/debian/copyright DESTINATION share/doc/berth)
install(FILES packaging/systemd/berth-server.service DESTINATION lib/systemd/system)
install(FILES packaging/systemd/berth.sysusers DESTINATION lib/sysusers.d RENAME berth.conf)

# Completions are what the program itself says.
set(completions
  bash share/bash-completion/completions/berth
  zsh share/zsh/vendor-completions/_berth
  fish share/fish/vendor_completions.d/berth.fish)
while(completions)
  list(POP_FRONT completions shell path)
  install(CODE "
    set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${path}\")
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:berth>\" completion ${shell}
      OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)")
endwhile()

# Debian wants logs of changes, of the program and of the package, compressed without a time of their
# own. The package's date is SOURCE_DATE_EPOCH, where that is set.
string(TIMESTAMP package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/debian/changelog.in changelog.Debian @ONLY)
set(changelogs
  "${PROJECT_SOURCE_DIR}/CHANGELOG.md" changelog.gz
  "${PROJECT_BINARY_DIR}/changelog.Debian" changelog.Debian.gz)
while(changelogs)
  list(POP_FRONT changelogs from to)
  install(CODE "
    execute_process(COMMAND gzip -9nc \"${from}\"
      OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/doc/berth/${to}\"
      COMMAND_ERROR_IS_FATAL ANY)")
endwhile()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME berth)
set(CPACK_PACKAGE_VENDOR "The authors of Berth")
set(CPACK_PACKAGE_CONTACT "${package_contact}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${package_release})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS systemd)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "sqlite3, etcd-client")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "control plane that shares a fleet of GPUs among many tenants")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Berth decides which accelerator a job lands on and when, keeps tenants from
hurting each other, takes lent capacity back, and says why a job waits.
.
This package has the program (server, command line, simulator), the GPU
models and policies, the web page, and a systemd unit, which is not enabled.")
set(scripts "${PROJECT_SOURCE_DIR}/packaging/debian")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${scripts}/postinst" "${scripts}/prerm" "${scripts}/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
